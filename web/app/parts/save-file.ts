/**
 * Saves a file, whole or read as it comes. The browser keeps what arrived outside of the page's memory, on its disk where it is long,
 * and writes the download when all of it is there: a file that was cut off is never saved as if it were whole.
 * @throws what the body throws
 */
export async function saveFile({ fileName, body }: { fileName: string; body: BodyInit }): Promise<void> {
  const address = URL.createObjectURL(await new Response(body).blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // The download has begun when the next task runs; some browsers begin it later.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
