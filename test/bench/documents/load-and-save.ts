import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/**
 * LibreOffice without a window. Its profile has been used before, because the first start with a new profile takes
 * longer.
 */
export interface LibreOffice {
  /**
   * Opens a file and saves it in the same format. Returns the milliseconds from the start of LibreOffice to its end.
   */
  loadAndSave(file: string): Promise<number>;
}

/**
 * @param folder the directory for the profile and for saved files
 * @param file a file to open first
 * @returns null if LibreOffice is not installed
 */
export async function openLibreOffice(folder: string, file: string): Promise<LibreOffice | null> {
  const loadAndSave = async (path: string): Promise<number> => {
    const begun = performance.now();
    await promisify(execFile)('soffice', [
      '--headless',
      '--norestore',
      `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`,
      '--convert-to',
      path.slice(path.lastIndexOf('.') + 1),
      '--outdir',
      join(folder, 'saved'),
      path,
    ]);
    return performance.now() - begun;
  };
  try {
    await loadAndSave(file);
    return { loadAndSave };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
