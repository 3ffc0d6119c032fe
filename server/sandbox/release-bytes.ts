/**
 * Frees bytes that are of no more use to anybody, without waiting for the garbage collector; for files, which are the largest
 * things in memory. They are empty afterwards, with all that is in their buffer. A runtime that cannot is left to collect them.
 */
export function releaseBytes({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && 'transfer' in buffer)
    (buffer.transfer as (newLength: number) => ArrayBuffer)(0);
}
