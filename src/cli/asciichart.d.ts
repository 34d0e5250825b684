declare module 'asciichart' {
  export function plot(
    series: readonly number[],
    options: { height: number; min: number; max: number; offset: number; format(value: number): string },
  ): string
}
