/**
 * The file name that a Content-Disposition header gives, in `filename*` before `filename` (RFC 6266); undefined where
 * there is none that a file can have. Folders and control characters are taken off: whoever saves under this name
 * must not be led elsewhere.
 */
export function readFileName(header: string | null): string | undefined {
  if (header === null) return undefined;
  const name = extended(header) ?? plain(header);
  const last = name
    ?.replace(/^.*[\\/]/s, '')
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
  return last === '' || last === '.' || last === '..' ? undefined : last;
}

function extended(header: string): string | undefined {
  const [, encoded] = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function plain(header: string): string | undefined {
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(header) ?? [];
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? token;
}
