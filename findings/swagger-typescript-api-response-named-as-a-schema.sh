#!/usr/bin/env bash
# swagger-typescript-api 13.13.0: a response that has the name of a schema gets the type of the schema.
#
# An OpenAPI document has a response `Price`, whose body is `{ data: Price }`, and a schema `Price`, which is `{ usd: string }`. The two names live in
# maps of their own, so the document is valid.
# One would expect the method to return `{ data: Price }`.
# Seen: it returns `Price`. `(await api.getPrice()).data.usd` compiles, and is undefined where the server sends what the document says. With the
# response renamed, the type is right. Nothing is reported in either case.
#
# Output seen on 2026-11-27:
#   response named Price: this.request<Price,any>(
#   response named PriceResponse: this.request<{data:Price;},any>(
#
# Exits with 1 if the behaviour changes. Needs Node 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . swagger-typescript-api@13.13.0 >/dev/null

typed() {
  cat >document.json <<JSON
{
  "openapi": "3.1.0", "info": { "title": "Prices", "version": "1" },
  "paths": { "/price": { "get": { "operationId": "getPrice", "responses": { "200": { "\$ref": "#/components/responses/$1" } } } } },
  "components": {
    "responses": { "$1": { "description": "A price", "content": { "application/json": { "schema": {
      "type": "object", "required": ["data"], "properties": { "data": { "\$ref": "#/components/schemas/Price" } } } } } } },
    "schemas": { "Price": { "type": "object", "required": ["usd"], "properties": { "usd": { "type": "string" } } } }
  }
}
JSON
  npx swagger-typescript-api generate -p document.json -o . -n api.ts >log 2>&1 || { cat log; exit 1; }
  echo "response named $1: $(tr -d '[:space:]' <api.ts | grep -o 'this\.request<[^(]*>(' | head -1)"
}
seen=$(typed Price; typed PriceResponse)
echo "$seen"
[ "$seen" = 'response named Price: this.request<Price,any>(
response named PriceResponse: this.request<{data:Price;},any>(' ]
