const utf8 = new TextDecoder();

/** Packed rows, a statement's worth of them at a time. */
export function* rowParts(rows: Uint8Array, ends: readonly number[]): Generator<string> {
  let from = 0;
  for (const end of ends) {
    yield utf8.decode(rows.subarray(from, end));
    from = end;
  }
}
