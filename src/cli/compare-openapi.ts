type Fields = Readonly<Record<string, unknown>>

/** Where the service's OpenAPI document differs from ours: operations, parameters and limits, by method and path. */
export function compareOpenApi(ours: unknown, theirs: unknown): string[] {
  const [known, found] = [readOperations(ours), readOperations(theirs)]
  const differences: string[] = []
  for (const [name, parameters] of known) {
    const other = found.get(name)
    if (other === undefined) differences.push(`${name} is missing in the service's document`)
    else differences.push(...compareParameters(name, parameters, other))
  }
  for (const name of found.keys()) if (!known.has(name)) differences.push(`${name} is new in the service's document`)
  return differences
}

/** Maximum of a parameter; undefined if it has none. */
type Parameters = ReadonlyMap<string, unknown>

function compareParameters(operation: string, known: Parameters, found: Parameters): string[] {
  const missing = [...known.keys()]
    .filter((name) => !found.has(name))
    .map((name) => `${operation}: parameter ${name} is missing`)
  const added = [...found.keys()]
    .filter((name) => !known.has(name))
    .map((name) => `${operation}: parameter ${name} is new`)
  const changed = [...known].flatMap(([name, maximum]) => {
    const other = found.get(name)
    // A document that states no limit contradicts none.
    return maximum === undefined || other === undefined || other === maximum
      ? []
      : [`${operation}: ${name} is at most ${String(other)}, not ${String(maximum)}`]
  })
  return [...missing, ...added, ...changed]
}

/** The query parameters of each operation. Names of path parameters do not matter. */
function readOperations(document: unknown): Map<string, Parameters> {
  const operations = new Map<string, Parameters>()
  for (const [path, item] of Object.entries(fieldsOf(fieldsOf(document).paths))) {
    for (const [method, operation] of Object.entries(fieldsOf(item))) {
      if (!/^(get|put|post|delete|patch|head|options)$/.test(method)) continue
      const listed = [fieldsOf(item).parameters, fieldsOf(operation).parameters].flatMap((list) =>
        Array.isArray(list) ? list : [],
      )
      const query = listed.map((one) => resolve(document, one)).filter((parameter) => parameter.in === 'query')
      const parameters = query.map((parameter): [string, unknown] => {
        const schema = resolve(document, parameter.schema)
        return [String(parameter.name), schema.maximum ?? schema.maxItems]
      })
      const name = `${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}').replace(/^\/(?:public-api\/)?v1\//, '/')}`
      operations.set(name, new Map(parameters))
    }
  }
  return operations
}

function resolve(document: unknown, value: unknown): Fields {
  const fields = fieldsOf(value)
  if (typeof fields.$ref !== 'string') return fields
  const path = fields.$ref.replace(/^#\//, '').split('/')
  return fieldsOf(path.reduce<unknown>((at, key) => fieldsOf(at)[key], document))
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
