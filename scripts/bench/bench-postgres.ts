import pg from 'pg'
import startPostgres from '../../db/testing-postgres.ts'

/** Does the work with the address of an empty database on a PostgreSQL of its own, which is gone afterwards. */
export async function onPostgres<T>(work: (url: string) => Promise<T>): Promise<T> {
  const stop = await startPostgres()
  const name = `noren_bench_${process.pid}`
  const server = new pg.Client(`${process.env.TEST_POSTGRES}/postgres`)
  await server.connect()
  await server.query(`create database ${name}`)
  try {
    return await work(`${process.env.TEST_POSTGRES}/${name}`)
  } finally {
    await server.query(`drop database ${name} with (force)`)
    await server.end()
    await stop()
  }
}
