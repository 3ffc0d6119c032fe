/** `order` by the keys of what it numbers, which are 0 to `most`; what has one key stays in order. Time is linear. */
export function countingSort(order: Int32Array, keyOf: (number: number) => number, most: number): Int32Array {
  const next = new Int32Array(most + 2);
  for (const number of order) next[keyOf(number) + 1]!++;
  for (let key = 1; key < next.length; key++) next[key]! += next[key - 1]!;
  const sorted = new Int32Array(order.length);
  for (const number of order) {
    const key = keyOf(number);
    sorted[next[key]!] = number;
    next[key]!++;
  }
  return sorted;
}

/** 0, 1, 2, … */
export function inOrder(count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let number = 0; number < count; number++) numbers[number] = number;
  return numbers;
}
