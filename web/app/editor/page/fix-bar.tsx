import {
  ArrowRight,
  Ban,
  Check,
  Cloud,
  Combine,
  ListOrdered,
  Pin,
  Split,
  TriangleAlert,
  Undo2,
  X,
} from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { CommandKey } from '../../keys/command-key.tsx';
import { Menu } from '../../kit/menu.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { problemText } from '../../parts/problem.tsx';
import { Reopen } from '../../parts/reopen.tsx';
import type { useRendering } from '../preview/preview.tsx';
import { UnsavedEdits } from '../store-all.ts';
import { useUnsavedText } from '../unsaved.tsx';
import styles from './page.module.css';
import { type Act, actOf, type Fix, FixConflict, type Fixes, textsOfFix } from './page-fixes.ts';
import { isDivided, joined, type Mode, type PageText, type Refusal, translatedAgain } from './page-texts.ts';
import { SimilarPlaces } from './similar-places.tsx';

const icons = { join: Combine, split: Split, keep: Pin, translate: Pin, order: ListOrdered };

/** The acts on the selected texts. The second line states the result and the cost of an act before it is made. */
export function FixBar({
  document,
  isReadOnly,
  mode,
  refusal,
  chosen,
  refuse,
  onAct,
  onSelect,
  onWrite,
  onDone,
  onClear,
}: {
  document: TenantDocumentJob;
  isReadOnly: boolean;
  mode: Mode;
  /** The act that was tried and is not possible. */
  refusal: { act: Act; refusal: Refusal } | undefined;
  chosen: readonly PageText[];
  refuse: (act: Act) => Refusal | undefined;
  onAct: (act: Act) => void;
  onSelect: (ids: readonly string[]) => void;
  onWrite: () => void;
  /** Stores the place of the text that is being moved. */
  onDone: () => void;
  onClear: () => void;
}) {
  const t = useT();
  const [pointed, setPointed] = useState<Act>();
  const said = refusal && <NotPossible {...refusal} onSelect={onSelect} onAct={onAct} />;
  if (chosen.length === 0) return null;
  if (isReadOnly) {
    const { approved_at: approvedAt, approved_by: approvedBy, approved_via: via, id } = document;
    return (
      <div className={styles.bar}>
        <p>
          <Ban size={14} aria-hidden />
          {t(approvedAt ? 'pageView.approved' : 'pageView.read_only')}
          {approvedAt && <Reopen item={{ kind: 'document', id }} decidedBy={via ? null : approvedBy} />}
        </p>
      </div>
    );
  }
  if (mode.kind === 'order')
    return (
      <div className={styles.bar}>
        <p>
          <ListOrdered size={14} aria-hidden />
          {t('pageView.order_how')}
          <button type="button" onClick={onDone}>
            {t('pageView.order_done')} <kbd>⏎</kbd>
          </button>
        </p>
      </div>
    );
  const isKept = chosen.every((one) => one.isKept);
  const shown: Act[] = ['join', 'split', isKept ? 'translate' : 'keep', 'order'];
  const act = pointed ?? shown.find((one) => !refuse(one));
  return (
    <div
      role="toolbar"
      aria-label={t('pageView.selected', { count: chosen.length })}
      className={styles.bar}
      onPointerLeave={() => setPointed(undefined)}
    >
      <div className={styles.acts}>
        {shown.map((one) => {
          const Icon = icons[one];
          return (
            <button
              key={one}
              type="button"
              aria-disabled={refuse(one) !== undefined}
              // The texts keep the focus, so that their keys stay.
              onPointerDown={(event) => event.preventDefault()}
              onPointerEnter={() => setPointed(one)}
              onFocus={() => setPointed(one)}
              onBlur={() => setPointed(undefined)}
              onClick={() => onAct(one)}
            >
              <Icon size={15} aria-hidden /> {t(`pageView.${one}`)} <CommandKey id={one} isHidden />
            </button>
          );
        })}
        <Menu
          label={t('common.more')}
          commands={[
            { name: t('pageView.write'), isDisabled: chosen.length !== 1 || isKept, run: onWrite },
            { name: t('pageView.clear'), run: onClear },
          ]}
        />
      </div>
      {said ?? (act && <Result act={act} chosen={chosen} />)}
    </div>
  );
}

/** The result and the cost of an act. */
function Result({ act, chosen }: { act: Act; chosen: readonly PageText[] }) {
  const t = useT();
  const { number } = useFormat();
  const { count, characters } = translatedAgain(act, chosen);
  const opens = chosen.filter(({ segment }) => segment?.confirmed_at != null).length;
  const isHere = act === 'split' && chosen[0] && isDivided(chosen[0]);
  return (
    <p>
      <ArrowRight size={14} aria-hidden className="mirrored" />
      <span>
        {t(isHere ? 'pageView.makes_split_here' : `pageView.makes_${act}`, { count: chosen.length })}{' '}
        {act === 'join' && <bdi className={styles.made}>{joined(chosen)}</bdi>}
        {(act === 'join' || act === 'split') &&
          opens > 0 &&
          ` ${t('pageView.opens_again', { count: opens })}`}
      </span>
      <span className={styles.cost}>
        {count === 0 ? t('pageView.free') : t('pageView.again', { count, characters: number(characters) })}
      </span>
    </p>
  );
}

/** Why an act is not possible, and the way to it. */
function NotPossible({
  act,
  refusal,
  onSelect,
  onAct,
}: {
  act: Act;
  refusal: Refusal;
  onSelect: (ids: readonly string[]) => void;
  onAct: (act: Act) => void;
}) {
  const t = useT();
  const numberOf = ({ segment }: PageText) => String((segment?.position ?? 0) + 1);
  const text =
    refusal.kind === 'between'
      ? t('pageView.no_between', {
          texts: refusal.texts.map(numberOf).join(', '),
          count: refusal.texts.length,
        })
      : refusal.kind === 'held'
        ? t('pageView.no_held', { who: refusal.who, number: refusal.number })
        : t(`pageView.no_${refusal.kind}`, { act: t(`pageView.${act}`) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try is announced
  useEffect(() => announce(text), [refusal]);
  return (
    <p>
      <Ban size={14} aria-hidden />
      <span>{text}</span>
      {refusal.kind === 'between' && (
        <>
          <button type="button" onClick={() => onSelect(refusal.all.map(({ id }) => id))}>
            {t('pageView.select_between')}
          </button>
          {refusal.texts.length === 1 && (
            <button
              type="button"
              onClick={() => onSelect(refusal.texts.map(({ id }) => id))}
              onDoubleClick={() => onAct('order')}
            >
              {t('pageView.change_order')}
            </button>
          )}
        </>
      )}
    </p>
  );
}

/** Milliseconds until a fix shows that it is being made, and that it takes long. */
const [slow, late] = [2000, 10_000];

/** Milliseconds for which the message about a fix offers to undo it. */
const offeredFor = 10_000;

/** The state of the latest fix: being made, made, refused, or queued while the service cannot be reached. */
export function FixStatus({
  documentId,
  fixes: { state, waiting, dismiss, add },
  page,
  rendering,
  onUndo,
  onRetry,
}: {
  documentId: string;
  fixes: Fixes;
  page: number;
  rendering: ReturnType<typeof useRendering>;
  onUndo: () => void;
  /** Has the page set again. */
  onRetry: () => void;
}) {
  const t = useT();
  const textOf = useUnsavedText();
  const { number } = useFormat();
  const since = 'since' in state ? state.since : undefined;
  const isSetting = state.kind === 'sending' || (state.kind === 'done' && rendering === 'updating');
  const waited = useWaited(isSetting ? since : undefined);
  const [setIn, setSetIn] = useState<number>();
  useEffect(() => {
    if (isSetting) setSetIn(undefined);
    else if (since !== undefined) setSetIn((performance.now() - since) / 1000);
  }, [isSetting, since]);
  const [isHeld, setHeld] = useState(false);
  const isOver = state.kind === 'done' && !isSetting && rendering === 'current' && !isHeld;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each fix starts the time again
  useEffect(() => {
    if (!isOver) return;
    const timer = setTimeout(dismiss, offeredFor);
    return () => clearTimeout(timer);
  }, [isOver, state]);
  const undo = (
    <button key="undo" type="button" onClick={onUndo}>
      <Undo2 size={14} aria-hidden className="mirrored" /> {t('editor.undo')} <CommandKey id="undoDecision" />
    </button>
  );
  const close = (
    <button type="button" aria-label={t('common.close')} onClick={dismiss}>
      <X size={14} aria-hidden />
    </button>
  );
  const show = (icon: ReactNode, text: ReactNode, actions: ReactNode, kind: string) => (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handlers only stop the time
    <div
      className={styles.status}
      data-kind={kind}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={({ currentTarget }) => setHeld(currentTarget.contains(window.document.activeElement))}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {icon}
      <span role="status">{text}</span>
      {actions}
    </div>
  );
  if (state.kind === 'waiting')
    return show(
      <Cloud size={16} aria-hidden />,
      t('pageView.offline', { count: waiting.length }),
      undo,
      'offline',
    );
  if (isSetting)
    return waited < slow
      ? null
      : show(
          <i className={styles.spinner} aria-hidden />,
          <>
            {t('pageView.setting', { page })} {waited >= late && t('pageView.takes_long')}
          </>,
          null,
          'busy',
        );
  if (state.kind === 'failed') {
    const { error } = state;
    const text =
      error instanceof FixConflict
        ? t('pageView.conflict', { done: error.done, who: error.who ?? t('pageView.someone') })
        : error instanceof UnsavedEdits
          ? textOf(error.positions)
          : problemText(error, t);
    return show(
      <TriangleAlert size={16} aria-hidden />,
      <>
        <bdi>{text}</bdi> {t('pageView.not_made', { act: t(`pageView.${actOf(state.fix)}`) })}
      </>,
      close,
      'failed',
    );
  }
  if (state.kind !== 'done') return null;
  const act = actOf(state.fix);
  if (rendering === 'stale')
    return show(
      <TriangleAlert size={16} aria-hidden />,
      t('pageView.not_set', { page }),
      <>
        <button type="button" onClick={onRetry}>
          {t('common.retry')}
        </button>
        {undo}
      </>,
      'failed',
    );
  return show(
    <Check size={16} aria-hidden />,
    <>
      {t(Array.isArray(state.fix) ? 'pageView.done_many' : `pageView.done_${act}`, {
        count: countOf(state.fix, state.fixed.segments.length),
      })}{' '}
      {setIn !== undefined && t('pageView.set_in', { seconds: number(Math.round(setIn * 10) / 10) })}
    </>,
    <>
      {act !== 'order' && act !== 'translate' && (
        <SimilarPlaces documentId={documentId} fix={state.fix} onFix={add} />
      )}
      {undo}
      {close}
    </>,
    'done',
  );
}

/** The number in the message about a fix: of the texts that were joined, or of those that were made. */
function countOf(fix: Fix, made: number): number {
  if (Array.isArray(fix)) return fix.length;
  return actOf(fix) === 'split' ? made : textsOfFix(fix).length;
}

/** The milliseconds since a time, as far as they change a message; 0 without a time. */
function useWaited(since: number | undefined): number {
  const [waited, setWaited] = useState(0);
  useEffect(() => {
    setWaited(0);
    if (since === undefined) return;
    const timers = [slow, late].map((limit) =>
      setTimeout(() => setWaited(limit), Math.max(0, since + limit - performance.now())),
    );
    return () => timers.forEach(clearTimeout);
  }, [since]);
  return waited;
}
