// React reads NODE_ENV only once, at its first import.
process.env.NODE_ENV = 'production'
