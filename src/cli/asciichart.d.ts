declare module 'asciichart' {
  /** The values as a line of text, with a label for each row. */
  export function plot(
    series: readonly number[],
    options: { height: number; offset: number; format(value: number): string },
  ): string
}
