import { ApproveTexts } from './approve-texts.tsx';
import { RejectText } from './reject-text.tsx';
import { RejectTexts } from './reject-texts.tsx';
import type { TextList, TextSegment } from './text-list.ts';
import type { useTextDecisions } from './use-text-decisions.ts';

/** The dialog of a decision about the open text, or about all shown ones. */
export function TextDialog({
  kind,
  segment,
  onRejected,
  hasMore,
  ...all
}: {
  kind: 'approve' | 'reject' | 'rejectAll';
  list: TextList;
  segments: readonly TextSegment[];
  /** The open text. */
  segment: TextSegment | undefined;
  decisions: ReturnType<typeof useTextDecisions>;
  /** Whether texts follow that are not loaded. */
  hasMore: boolean;
  /** Called after the open text was rejected. */
  onRejected: (segment: TextSegment) => void;
  onClose: () => void;
}) {
  if (kind === 'approve') return <ApproveTexts {...all} hasMore={hasMore} />;
  if (kind === 'rejectAll') return <RejectTexts {...all} />;
  return (
    segment && (
      <RejectText
        onReject={async (notes) => {
          await all.decisions.reject(segment.position, notes);
          all.onClose();
          onRejected(segment);
        }}
        onClose={all.onClose}
      />
    )
  );
}
