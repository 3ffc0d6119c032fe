import { Suspense, useState } from 'react';
import type { QualityIssue } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { Row, Stack } from '../kit/box.tsx';
import { Card } from '../kit/card.tsx';
import { Text } from '../kit/text.tsx';
import { lazily } from '../parts/lazily.tsx';
import { problemText } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { useAction } from '../parts/use-action.ts';
import type { Correction } from './corrections.ts';
import styles from './editor.module.css';
import { type Decision, type FindingActions, isOpen } from './finding-actions.ts';
import type { Reason } from './segment-saves.ts';

const Resolve = lazily(async () => ({ default: (await import('./resolve-finding.tsx')).Resolve }));
const Overrule = lazily(async () => ({ default: (await import('./resolve-finding.tsx')).Overrule }));

/**
 * The findings of the open segment, the worst first. If the reviewer confirmed a segment with critical findings, it asks
 * for a reason: a key that is held down cannot overrule a finding.
 * @param isCurrent whether the findings belong to the text as it is now
 */
export function Findings({
  issues,
  corrections,
  isCurrent,
  isBlocked,
  actions,
  onUse,
  onOverrule,
}: {
  issues: readonly QualityIssue[];
  /** The corrections that a key or a click makes. */
  corrections: ReadonlyMap<QualityIssue, Correction>;
  isCurrent: boolean;
  isBlocked: boolean;
  /** Undefined if the segment cannot be changed. */
  actions: FindingActions | undefined;
  onUse: (correction: Correction) => void;
  onOverrule: (reason: Reason) => void;
}) {
  const sorted = issues.toSorted(
    (one, other) =>
      Number(isOpen(other)) - Number(isOpen(one)) || weights[other.severity] - weights[one.severity],
  );
  const [first] = sorted.flatMap((issue) => corrections.get(issue) ?? []);
  useCommands({ useSuggestion: () => first && onUse(first) });
  if (sorted.length === 0 && !isBlocked) return null;
  return (
    <div role="gridcell" tabIndex={-1} className={styles['below']} aria-busy={!isCurrent || undefined}>
      <Stack as="ul" gap={2}>
        {sorted.map((issue) => (
          <FoundIssue
            key={`${issue.severity} ${issue.span} ${issue.explanation}`}
            issue={issue}
            correction={corrections.get(issue)}
            isFirst={corrections.get(issue) === first}
            actions={actions}
            onUse={onUse}
          />
        ))}
      </Stack>
      {isBlocked && (
        <Suspense>
          <Overrule onOverrule={onOverrule} />
        </Suspense>
      )}
    </div>
  );
}

/** A finding: what it is, its state, and what the reviewer can do with it. */
function FoundIssue({
  issue,
  correction,
  isFirst,
  actions,
  onUse,
}: {
  issue: QualityIssue;
  correction: Correction | undefined;
  isFirst: boolean;
  actions: FindingActions | undefined;
  onUse: (correction: Correction) => void;
}) {
  const t = useT();
  const [isResolving, setResolving] = useState(false);
  const { run, error, isBusy } = useAction();
  const { severity, explanation, suggestion, status = 'open' } = issue;
  const isSettled = !isOpen(issue);
  const act = (work: () => Promise<void>) => run(() => work().then(() => setResolving(false)));
  return (
    <Card
      as="li"
      pad={2}
      gap={2}
      tone={isSettled ? 'sunken' : severity === 'critical' ? 'crit' : 'warn'}
      aria-busy={isBusy || undefined}
    >
      <Row gap={3}>
        <StatusMark status={isSettled ? 'confirmed' : severity === 'critical' ? 'critical' : 'warning'} />
        <p className={styles['finding']}>
          <b>{t(`review.${severity}`)}</b> <bdi>{explanation}</bdi>
          {status === 'not_rechecked' && (
            <span className="badge" title={t('editor.not_rechecked_why')}>
              {t('editor.not_rechecked')}
            </span>
          )}
          {isSettled && <Resolution issue={issue} />}
          {suggestion && !correction && !isSettled && <bdi className="hint">{suggestion}</bdi>}
        </p>
        {correction && !isSettled && (
          <button type="button" className="small" onClick={() => onUse(correction)}>
            {t('editor.use')} <bdi translate="no">{correction.text}</bdi>
            {isFirst && <CommandKey id="useSuggestion" />}
          </button>
        )}
        {actions && issue.id !== undefined && !isSettled && (
          <>
            {status === 'not_rechecked' && issue.found_by === undefined && (
              <button type="button" className="small" aria-disabled={isBusy} onClick={act(actions.recheck)}>
                {t('editor.check_again')}
              </button>
            )}
            <button
              type="button"
              className="small"
              aria-expanded={isResolving}
              onClick={() => setResolving(!isResolving)}
            >
              {t('editor.resolve')}
            </button>
          </>
        )}
      </Row>
      {error !== undefined && (
        <Text role="alert" tone="crit">
          {problemText(error, t)}
        </Text>
      )}
      {isResolving && actions && (
        <Suspense>
          <Resolve
            isCritical={severity === 'critical'}
            canBeFixed={status === 'not_rechecked'}
            isBusy={isBusy}
            onResolve={(decision) => void act(() => actions.resolve(issue, decision))()}
          />
        </Suspense>
      )}
    </Card>
  );
}

/** Why a finding is no longer open, by whom, and the reason. */
function Resolution({ issue: { status, resolution } }: { issue: QualityIssue }) {
  const t = useT();
  return (
    <span className="hint">
      {t(`editor.reason_${status as Decision['resolution']}`)}
      {resolution?.by && ' · '}
      <bdi translate="no">{resolution?.by}</bdi>
      {resolution?.reason && ' · '}
      <bdi>{resolution?.reason}</bdi>
    </span>
  );
}

const weights = { minor: 0, major: 1, critical: 2 };
