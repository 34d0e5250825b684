declare module 'asciichart' {
  export function plot(
    series: readonly number[],
    options: { height: number; offset: number; format(value: number): string },
  ): string
}
