/** B 4.1: the content types of a file sent as the body itself. `text/*` stands for every text type. */
export const rawTypes = [
  'text/*',
  'application/xml',
  'application/octet-stream',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
] as const;

/** Whether a media type, without parameters and in lower case, is one of `rawTypes`. */
export function isRawType(mediaType: string): boolean {
  return mediaType.startsWith('text/') || (rawTypes as readonly string[]).includes(mediaType);
}

/** A Content-Type without its parameters, in lower case; empty if there is none. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
