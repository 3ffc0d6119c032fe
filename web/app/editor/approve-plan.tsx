import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '../i18n.tsx';
import { Row, Stack } from '../kit/box.tsx';
import { Card } from '../kit/card.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Check } from '../kit/field.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { ActionProblem } from './unsaved.tsx';

/** A line of the plan: what it is, and a hint. */
interface Line {
  text: string;
  hint?: string;
}

/** A dialog that lists what an approval of everything confirms and what it leaves out, before it is done. */
export function ApprovePlan({
  title,
  clean,
  warnings,
  left,
  withWarnings,
  onWithWarnings,
  result,
  action,
  isReady,
  error,
  children,
  onApprove,
  onClose,
}: {
  title: string;
  /** The items without findings, which are confirmed. */
  clean: Line;
  /** The items with warnings, which are confirmed only if the reviewer selects them. */
  warnings: string | undefined;
  /** The items that are only confirmed one by one. */
  left: readonly Line[];
  withWarnings: boolean;
  onWithWarnings: (withWarnings: boolean) => void;
  /** The state after the approval. */
  result: ReactNode;
  /** The label of the button. */
  action: string;
  isReady: boolean;
  error: unknown;
  /** Shown above the buttons. */
  children?: ReactNode;
  onApprove: () => void;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack as="ul" gap={2}>
        <Card as="li" pad={3}>
          <Row isTight gap={3} align="start">
            <StatusMark status="todo" />
            <div>
              <b>{clean.text}</b>
              <span className="hint">{clean.hint}</span>
            </div>
          </Row>
        </Card>
        {warnings && (
          <Card as="li" pad={3}>
            <Row isTight gap={3}>
              <StatusMark status="warning" />
              <Check label={warnings} isChecked={withWarnings} onChange={onWithWarnings} />
            </Row>
          </Card>
        )}
        {left.map(({ text, hint }) => (
          <Card as="li" key={text} pad={3} tone="sunken">
            <Row isTight gap={3} align="start">
              <StatusMark status="critical" />
              <div>
                <b>
                  <Lock size={13} aria-hidden /> {text}
                </b>
                {hint && <span className="hint">{hint}</span>}
              </div>
            </Row>
          </Card>
        ))}
      </Stack>
      <p className="notice">{result}</p>
      {error ? <ActionProblem error={error} /> : null}
      {children}
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t('common.cancel')}
        </button>
        <button type="button" className="primary" disabled={!isReady} onClick={onApprove}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
