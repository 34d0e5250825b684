/** Each step halves the range on a logarithmic scale: 24 leave a millionth of a range from 1 to 10,000. */
const STEPS = 24

/**
 * Searches between two positive numbers for where a condition changes, and returns the last number for which it holds.
 * @param holdsAt where the condition holds
 * @param failsAt where it does not
 */
export function bisect(condition: (value: number) => boolean, holdsAt: number, failsAt: number, steps = STEPS): number {
  let [holds, fails] = [holdsAt, failsAt]
  for (let step = 0; step < steps; step++) {
    const middle = Math.sqrt(holds * fails)
    if (condition(middle)) holds = middle
    else fails = middle
  }
  return holds
}
