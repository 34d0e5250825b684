import * as market from 'etn-market'
import { runScenario } from './scenario.ts'

const violations: string[] = []
document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
  violations.push(`${effectiveDirective} ${blockedURI}`)
})

const baseUrl = new URL(location.href).searchParams.get('baseUrl') ?? ''
runScenario(market, baseUrl).then(async (report) => {
  const failure =
    violations.length > 0 ? `the content security policy was violated: ${violations.join(', ')}` : report.failure
  await fetch('/report', { method: 'POST', body: JSON.stringify({ ...report, failure }) })
})
