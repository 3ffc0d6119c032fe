import { type ReactNode, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { isKey } from '../../keys/match-key.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Form } from '../../kit/form.tsx';
import { announce } from '../../parts/announcer.tsx';
import { decideTogether, freeTexts } from './decide-together.ts';
import type { TextList, TextSegment } from './text-list.ts';
import type { useTextDecisions } from './use-text-decisions.ts';

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
  const reject = async () => {
    if (count > 0) await onReject(notes.trim());
  };
  return (
    <Dialog title={t('review.reject_title', { count })} onClose={onClose}>
      {children}
      <Form
        action={t('review.reject')}
        kind="danger"
        isReady={count > 0}
        onSubmit={reject}
        onCancel={onClose}
      >
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
      </Form>
    </Dialog>
  );
}

/** Those of some texts that were there at first: a dialog does not act on texts that arrive while it is open. */
export function useKnown(texts: readonly TextSegment[]): TextSegment[] {
  const [known] = useState(() => new Set(texts.map(({ id }) => id)));
  return texts.filter(({ id }) => known.has(id));
}

/**
 * Rejects these texts with the same reason, after it has said how many. Texts that a colleague has open and those
 * with edits that are not stored are left.
 */
export function RejectTexts({
  list,
  open: present,
  decisions: { saves, remember },
  onClose,
}: {
  list: TextList;
  open: readonly TextSegment[];
  decisions: Pick<ReturnType<typeof useTextDecisions>, 'saves' | 'remember'>;
  onClose: () => void;
}) {
  const t = useT();
  const open = useKnown(present);
  const free = freeTexts(open);
  const held = open.length - free.length;
  return (
    <RejectText
      count={free.length}
      onReject={async (notes) => {
        await saves.flush();
        const unsent = saves.all();
        const chosen = freeTexts(free.map(({ position }) => list.at(position))).filter(
          ({ position }) => !unsent.has(position),
        );
        const count = await decideTogether(list, chosen, { action: 'reject', notes }, remember);
        announce(t('editor.rejected_texts', { count, left: open.length - count }));
        onClose();
      }}
      onClose={onClose}
    >
      <p>{t('editor.reject_texts_what')}</p>
      {held > 0 && <p className="hint">{t('editor.plan_texts_held', { count: held })}</p>}
    </RejectText>
  );
}
