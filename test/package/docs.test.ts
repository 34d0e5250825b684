import { Application, Logger, LogLevel, TSConfigReader, TypeDocReader } from 'typedoc'
import { expect, test } from 'vitest'

class CollectingLogger extends Logger {
  readonly messages: string[] = []

  override log(message: string, level: LogLevel): void {
    if (level >= LogLevel.Warn) this.messages.push(message)
  }
}

test('the API reference has no warnings: every public name and every option is documented', async () => {
  const logger = new CollectingLogger()
  const app = await Application.bootstrap({}, [new TypeDocReader(), new TSConfigReader()])
  app.logger = logger
  const project = await app.convert()
  if (project === undefined) throw new Error(`TypeDoc failed: ${logger.messages.join('\n')}`)
  app.validate(project)
  expect(logger.messages).toEqual([])
}, 120_000)
