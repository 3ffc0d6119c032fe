import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Opens files in LibreOffice and saves them in another format, all in one run. Files that it cannot open are missing in
 * the result.
 * @param files the content by name
 * @param format an extension, such as `fods`
 * @param options.filter the export filter with its options; the usual one of the format if missing
 * @param options.recalculates whether LibreOffice calculates all formulas of workbooks again, instead of reading their results
 * @returns the saved files by their original names; null if LibreOffice is not installed
 */
export function convertByLibreOffice(
  files: Record<string, Uint8Array>,
  format: string,
  { filter, recalculates = false }: { filter?: string; recalculates?: boolean } = {},
): Record<string, Uint8Array> | null {
  const folder = mkdtempSync(join(tmpdir(), 'libreoffice-'));
  try {
    const names = Object.keys(files);
    for (const name of names) writeFileSync(join(folder, name), files[name]!);
    if (recalculates) {
      mkdirSync(join(folder, 'profile/user'), { recursive: true });
      writeFileSync(join(folder, 'profile/user/registrymodifications.xcu'), recalculation);
    }
    const { error } = spawnSync(
      'soffice',
      [
        '--headless',
        '--norestore',
        // A separate profile: if another LibreOffice used the same one, it would handle the command.
        `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`,
        '--convert-to',
        filter ? `${format}:${filter}` : format,
        '--outdir',
        join(folder, 'saved'),
        ...names.map((name) => join(folder, name)),
      ],
      { timeout: 240_000, stdio: 'ignore' },
    );
    if (error && 'code' in error && error.code === 'ENOENT') return null;
    if (error) throw error;
    const saved = readdirSync(join(folder, 'saved'));
    return Object.fromEntries(
      names.flatMap((name) => {
        const own = name.replace(/\.\w+$/, `.${format}`);
        return saved.includes(own) ? [[name, readFileSync(join(folder, 'saved', own))]] : [];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The setting to calculate all formulas of an XLSX when it is opened. */
const recalculation = `<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>`;
