import { type NextRequest, NextResponse } from 'next/server'
import { newVisitorCookie, visitorOf } from '../visitor.ts'

/** Gives each page a visitor. */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const response = NextResponse.next()
  if (!(await visitorOf(request))) response.headers.append('set-cookie', await newVisitorCookie())
  return response
}

export const config = { matcher: ['/((?!api/|_next/).*)'] }
