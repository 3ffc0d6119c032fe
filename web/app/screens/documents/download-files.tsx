import { Download } from 'lucide-react';
import { useState } from 'react';
import type { FileView } from '#sdk/file-types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Problem } from '../../parts/problem.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useAction } from '../../parts/use-action.ts';
import { isTranslated, stateOf } from './files.ts';
import { zipFiles } from './zip-files.ts';

/** The name of an archive with several translations, and its folder for those that are not approved. */
const archiveName = 'translations.zip';
const draftsFolder = 'drafts';

/**
 * Downloads translated files: one as it is, several as an archive, in which translations that are not approved are in a
 * separate folder.
 * @param folders the folders of the archive by document ID
 * @returns the number of files that were packed so far, while several are downloaded
 */
export function useDownload(files: readonly FileView[], folders?: ReadonlyMap<string, string>) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [packed, setPacked] = useState(0);
  const translated = files.filter(isTranslated);
  const ids = translated.map(({ id }) => id);
  const drafts = new Set(translated.filter((file) => stateOf(file) !== 'approved').map(({ id }) => id));
  const foldersOf = (id: string) => [
    ...(drafts.has(id) ? [draftsFolder] : []),
    ...(folders?.has(id) ? [folders.get(id) as string] : []),
  ];
  const download = run(async () => {
    setPacked(0);
    const [only] = ids;
    if (only === undefined) return;
    const file =
      ids.length === 1
        ? await client.documents.download(only)
        : {
            fileName: archiveName,
            body: await zipFiles(
              ids,
              async (id) => ({ ...(await client.documents.download(id)), folders: foldersOf(id) }),
              () => setPacked((before) => before + 1),
            ),
          };
    await saveFile(file);
    announce(t('documents.downloaded'));
  });
  return { download, error, isBusy, count: ids.length, packed, drafts: drafts.size };
}

/** Downloads only the approved ones of several translations. Hidden if all are approved. */
export function DownloadApproved({
  files,
  folders,
}: {
  files: readonly FileView[];
  folders?: ReadonlyMap<string, string>;
}) {
  const t = useT();
  const approved = files.filter((file) => stateOf(file) === 'approved');
  const { download, error, isBusy, count } = useDownload(approved, folders);
  if (count === files.filter(isTranslated).length) return null;
  return (
    <>
      <button type="button" disabled={count === 0} aria-disabled={isBusy} onClick={download}>
        <Download size={16} aria-hidden />
        {t('documents.download_approved', { count })}
      </button>
      {error ? <Problem error={error} retry={() => void download()} /> : null}
    </>
  );
}

/** Downloads all translations of a file. */
export function DownloadButton({ files, name }: { files: readonly FileView[]; name: string }) {
  const t = useT();
  const { download, error, isBusy } = useDownload(files);
  return (
    <>
      <button
        type="button"
        className="ghost small"
        aria-label={t('documents.download_file', { name })}
        title={t('documents.download')}
        aria-disabled={isBusy}
        onClick={download}
      >
        <Download size={16} aria-hidden />
      </button>
      {error ? <Problem error={error} retry={() => void download()} /> : null}
    </>
  );
}
