import { type FormEvent, type ReactNode, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { isKey } from '../../keys/match-key.ts';
import { Dialog, FormActions } from '../../parts/confirm-dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';

/** Asks for a reason, then rejects one or several texts. If that fails, the dialog stays with the reason. */
export function RejectText({
  count = 1,
  onReject,
  onClose,
  children,
}: {
  /** The number of texts. */
  count?: number;
  /** @throws LinguaLoopError */
  onReject: (notes: string) => Promise<void>;
  onClose: () => void;
  /** Shown above the reason. */
  children?: ReactNode;
}) {
  const t = useT();
  const [notes, setNotes] = useState('');
  const { run, error, isBusy } = useAction();
  const reject = run(() => onReject(notes.trim()));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy && count > 0) reject();
  };
  return (
    <Dialog title={t('review.reject_title', { count })} onClose={onClose}>
      {children}
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
            onKeyDown={({ nativeEvent, currentTarget }) => {
              if (isKey(nativeEvent, 'Mod+Enter')) currentTarget.form?.requestSubmit();
            }}
          />
        </label>
        {error ? <Problem error={error} /> : null}
        <FormActions
          action={t('review.reject')}
          kind="danger"
          isBusy={isBusy}
          isReady={count > 0}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}
