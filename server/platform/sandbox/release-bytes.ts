/**
 * Frees the memory of bytes that are no longer needed, without waiting for the garbage collector. Files are the
 * largest objects in memory. Afterwards this array, and all other arrays with the same buffer, are empty. Does
 * nothing on a runtime without `transfer`.
 */
export function releaseBytes({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && 'transfer' in buffer)
    (buffer.transfer as (newLength: number) => ArrayBuffer)(0);
}
