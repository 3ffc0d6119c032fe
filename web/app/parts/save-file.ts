/**
 * Saves a file, complete or streamed. The browser stores received data outside of the page's memory, large data on disk, and
 * writes the download when all of it has arrived: a partial file is never saved as complete.
 * @throws the body's error
 */
export async function saveFile({ fileName, body }: { fileName: string; body: BodyInit }): Promise<void> {
  const address = URL.createObjectURL(await new Response(body).blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // The download usually starts before the next task, in some browsers later.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
