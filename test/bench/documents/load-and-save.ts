import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { requirePremise } from '../load.ts';

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
    const saved = join(folder, 'saved', basename(path));
    await rm(saved, { force: true });
    const begun = performance.now();
    await promisify(execFile)('soffice', [
      '--headless',
      '--norestore',
      `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`,
      '--convert-to',
      extname(path).slice(1),
      '--outdir',
      join(folder, 'saved'),
      path,
    ]);
    const took = performance.now() - begun;
    // It ends with 0 without having written anything if it cannot read the file.
    const { size } = await stat(saved).catch(() => ({ size: 0 }));
    requirePremise(
      size > 0,
      `LibreOffice saves ${basename(path)} (a PDF needs the package libreoffice-draw, a PPTX libreoffice-impress)`,
    );
    return took;
  };
  try {
    await loadAndSave(file);
    return { loadAndSave };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
