/**
 * Frees bytes that are no longer needed, without waiting for the garbage collector. Files are the largest objects in memory.
 * The array, and all others on its buffer, are empty afterwards. On a runtime without `transfer` it does nothing.
 */
export function releaseBytes({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && 'transfer' in buffer)
    (buffer.transfer as (newLength: number) => ArrayBuffer)(0);
}
