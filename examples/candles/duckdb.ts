import { DuckDBInstance } from '@duckdb/node-api'

/** Candles of four hours from a CSV file with hours, which `etn-market candles <address> --sync bolt.csv` keeps up to date. */
export async function readFourHours(csv: string) {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  try {
    // With types of its own: a column whose first numbers are whole would be one of whole numbers.
    const reader = await connection.runAndReadAll(
      `SELECT epoch_ms(time_bucket(INTERVAL '4 hours', time)) AS time, arg_min(open, time) AS open, max(high) AS high, min(low) AS low,
              arg_max(close, time) AS close, sum(volume) AS volume
       FROM read_csv($csv, types = ['TIMESTAMP', 'DOUBLE', 'DOUBLE', 'DOUBLE', 'DOUBLE', 'DOUBLE', 'BIGINT'])
       GROUP BY ALL ORDER BY ALL`,
      { csv },
    )
    return reader.getRowObjectsJS()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
