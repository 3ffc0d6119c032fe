import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { queryKeys } from '../query-keys.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';
import styles from './editor.module.css';
import { forgetEdits } from './kept-edits.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { storeAll } from './store-all.ts';

/** Deletes a document, after a question. Only administrators see the button. */
export function DeleteDocument({ documentId, saves }: { documentId: string; saves: SegmentSaves }) {
  const t = useT();
  const me = useMe();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  if (!me.data || !isAdministrator(me.data)) return null;
  const remove = async () => {
    // Edits stay until the document is deleted, because the deletion may fail. After it, none is sent.
    await storeAll(saves).catch(() => undefined);
    await client.documents.delete(documentId);
    saves.stop();
    saves.dropAll();
    announce(t('documents.deleted'));
    // Texts of a deleted document must not stay on this device.
    await forgetEdits(documentId).catch(() => undefined);
    await navigate({ to: '/app/files', ignoreBlocker: true });
    queries.removeQueries({ queryKey: queryKeys.documents.document(documentId) });
    await queries.invalidateQueries({ queryKey: queryKeys.documents.all });
  };
  return (
    <>
      <button
        type="button"
        className={`ghost ${styles['wideOnly']}`}
        aria-label={t('documents.delete')}
        onClick={() => setAsked(true)}
      >
        <Trash2 size={16} aria-hidden />
      </button>
      {isAsked && (
        <ConfirmDialog
          title={t('documents.delete_question')}
          action={t('documents.delete')}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>{t('documents.delete_why')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
