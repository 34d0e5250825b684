export interface Account {
  credits?: number | null
  tier?: string | null
}

export interface OpenApiDocument {
  openapi: string
}
