/**
 * Spans and metrics for OpenTelemetry.
 *
 * @module etn-market/otel
 */

export { createTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.ts'
