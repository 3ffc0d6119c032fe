import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { decideTogether, freeTexts } from './decide-together.ts';
import { RejectText } from './reject-text.tsx';
import type { TextList, TextSegment } from './text-list.ts';
import type { useTextDecisions } from './use-text-decisions.ts';

/**
 * Rejects all shown texts with the same reason, after it has said how many. Texts that a colleague has open and those
 * with edits that are not stored are left.
 */
export function RejectTexts({
  list,
  segments,
  decisions: { saves, remember },
  onClose,
}: {
  list: TextList;
  segments: readonly TextSegment[];
  decisions: Pick<ReturnType<typeof useTextDecisions>, 'saves' | 'remember'>;
  onClose: () => void;
}) {
  const t = useT();
  const open = segments.filter(({ confirmed_at }) => confirmed_at === null);
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
