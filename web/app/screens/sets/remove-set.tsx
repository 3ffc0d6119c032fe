import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useT } from '../../i18n.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';

/** Deletes a set after a confirmation. */
export function RemoveSet({
  question,
  why,
  remove,
}: {
  question: string;
  why: string;
  remove: () => Promise<void>;
}) {
  const t = useT();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="danger" onClick={() => setAsking(true)}>
        <Trash2 size={16} aria-hidden /> {t('sets.delete')}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={question}
          action={t('sets.delete')}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>{why}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
