import { useQueryClient } from '@tanstack/react-query';
import { CheckCheck, Download, Trash2, UserRoundPlus, X } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { FileView } from '#sdk/file-types.ts';
import { client } from '../../client.ts';
import { forgetEdits } from '../../editor/kept-edits.ts';
import { loadWords, useT } from '../../i18n.tsx';
import { CommandKey } from '../../keys/command-key.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { announce } from '../../parts/announcer.tsx';
import darkBar from '../../parts/dark-bar.module.css';
import { lazily } from '../../parts/lazily.tsx';
import { Problem } from '../../parts/problem.tsx';
import { queryKeys } from '../../query-keys.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { ApproveMany } from './approve-many.tsx';
import { DownloadApproved, useDownload } from './download-files.tsx';
import { type FileGroup, sharesOf, stateOf } from './files.ts';

const Assigning = lazily(async () => {
  const [dialog] = await Promise.all([
    import('../../assignments/assign-dialog.tsx'),
    loadWords('assignments'),
  ]);
  return { default: dialog.Assigning };
});

/** The actions on the selected files. Without a selection, it only shows the results of the last approval. */
export function SelectionBar({ groups, onDone }: { groups: readonly FileGroup[]; onDone: () => void }) {
  const files = groups.flatMap(({ translations }) => translations);
  const approvable = files.filter((file) => stateOf(file) === 'needs_review');
  return (
    <ApproveMany documents={approvable} onApproved={onDone}>
      {(ask) =>
        groups.length > 0 && (
          <Bar groups={groups} files={files} approvable={approvable} onApprove={ask} onDone={onDone} />
        )
      }
    </ApproveMany>
  );
}

function Bar({
  groups,
  files,
  approvable,
  onApprove,
  onDone,
}: {
  groups: readonly FileGroup[];
  files: readonly FileView[];
  approvable: readonly FileView[];
  onApprove: () => void;
  onDone: () => void;
}) {
  const t = useT();
  const me = useMe();
  const { download, error, isBusy, count, packed } = useDownload(files);
  const [isAsking, setAsking] = useState(false);
  const [assigned, setAssigned] = useState<{ focus: 'first' | 'due'; isOpen: boolean }>();
  const assign = (focus: 'first' | 'due') => setAssigned({ focus, isOpen: true });
  useCommands(approvable.length > 0 ? { assign: () => assign('first'), setDue: () => assign('due') } : {});
  const { total, confirmed } = sharesOf(approvable);
  return (
    <section className={darkBar.bar} aria-label={t('documents.selection')}>
      <b role="status">{t('documents.selected', { count: groups.length })}</b>
      <button type="button" disabled={approvable.length === 0} onClick={onApprove}>
        <CheckCheck size={16} aria-hidden />
        {approvable.length === 0
          ? t('documents.approve')
          : t('documents.approve_left', { left: total - confirmed, total })}
      </button>
      <button type="button" disabled={approvable.length === 0} onClick={() => assign('first')}>
        <UserRoundPlus size={16} aria-hidden />
        {t('keys.assign')} <CommandKey id="assign" />
      </button>
      <button type="button" disabled={count === 0} aria-disabled={isBusy} onClick={download}>
        <Download size={16} aria-hidden />
        {isBusy && count > 1 ? t('documents.packing', { packed, count }) : t('documents.download_selected')}
      </button>
      <DownloadApproved files={files} />
      {me.data && isAdministrator(me.data) && (
        <button type="button" onClick={() => setAsking(true)}>
          <Trash2 size={16} aria-hidden />
          {t('documents.delete')}
        </button>
      )}
      <button type="button" aria-label={t('documents.deselect')} onClick={onDone}>
        <X size={16} aria-hidden />
      </button>
      {error ? <Problem error={error} retry={() => void download()} /> : null}
      {assigned && (
        <Suspense>
          <Assigning
            items={approvable.map(({ id }) => ({ kind: 'document' as const, id }))}
            {...assigned}
            onClose={() => setAssigned({ ...assigned, isOpen: false })}
          />
        </Suspense>
      )}
      {isAsking && <DeleteFiles files={files} onDone={onDone} onClose={() => setAsking(false)} />}
    </section>
  );
}

/** Deletes files one after the other. If one fails, the rest stays, and the dialog shows the error. */
function DeleteFiles({
  files: present,
  onDone,
  onClose,
}: {
  files: readonly FileView[];
  onDone: () => void;
  onClose: () => void;
}) {
  const t = useT();
  const queries = useQueryClient();
  // The dialog lists what it deletes, also if a translation is added since then.
  const [files] = useState(present);
  const [deleted] = useState(() => new Set<string>());
  const remove = async () => {
    try {
      for (const { id } of files.filter((file) => !deleted.has(file.id))) {
        await client.documents.delete(id);
        deleted.add(id);
        // Texts of a deleted document must not stay on the device.
        await forgetEdits(id).catch(() => {});
      }
    } finally {
      void queries.invalidateQueries({ queryKey: queryKeys.documents.all });
    }
    announce(t('documents.deleted_count', { count: files.length }));
    onDone();
    setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus());
  };
  return (
    <ConfirmDialog
      title={t('documents.delete_many_question', { count: files.length })}
      action={t('documents.delete')}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t('documents.delete_why')}</p>
      <ul>
        {files.map(({ id, source_file_name: name, target_lang }) => (
          <li key={id}>
            <bdi translate="no">{name}</bdi> · <bdi translate="no">{target_lang}</bdi>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
