import { type FormEvent, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { Dialog } from '../../parts/confirm-dialog.tsx';

/**
 * Asks for a reason before a rejection.
 * @param initial the first text of the field: the reason of an earlier rejection that was not sent or not saved
 */
export function RejectDialog({
  count,
  initial = '',
  onReject,
  onClose,
}: {
  count: number;
  initial?: string | undefined;
  onReject: (notes: string) => void;
  onClose: () => void;
}) {
  const t = useT();
  const [notes, setNotes] = useState(initial);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onReject(notes.trim());
  };
  return (
    <Dialog title={t('review.reject_title', { count })} onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          {t('review.reject_why')}
          <textarea
            rows={3}
            maxLength={10_000}
            required
            autoFocus
            value={notes}
            onChange={({ target }) => setNotes(target.value)}
            onKeyDown={(event) => {
              if (isComposing(event.nativeEvent)) return;
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                event.currentTarget.form?.requestSubmit();
            }}
          />
        </label>
        <div className="actions">
          <button type="submit" className="danger">
            {t('review.reject')}
          </button>
          <button type="button" onClick={onClose}>
            {t('common.cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
