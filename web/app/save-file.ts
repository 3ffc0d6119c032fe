/** Lets the browser save bytes under a name, as if they were downloaded from an address. */
export function saveFile(bytes: BlobPart, fileName: string, contentType: string): void {
  const address = URL.createObjectURL(new Blob([bytes], { type: contentType }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
