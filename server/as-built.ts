// React looks once, where it is first imported, whether it is to be the one that visitors get.
process.env.NODE_ENV = 'production'
