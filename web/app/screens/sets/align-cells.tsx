import { Ban, Check, Link2, Pencil, Unlink } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { isComposing, isKey } from '../../keys/match-key.ts';
import { Badge, Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { languageOf } from '../../parts/language-text.tsx';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import styles from './align.module.css';
import {
  differingFigures,
  hasDifferingFigures,
  isPair,
  type Languages,
  type Link,
  type LinkStatus,
  maxText,
  textsOf,
} from './alignment.ts';
import type { Acts } from './use-corrections.ts';

export const statusNames: Record<LinkStatus, MessageId> = {
  accepted: 'align.certain',
  check: 'align.check',
  single: 'align.single',
  skipped: 'align.skipped',
};

export const statusMarks: Record<LinkStatus, Status> = {
  accepted: 'confirmed',
  check: 'warning',
  single: 'todo',
  skipped: 'rejected',
};

/** The cells of a link: its texts, its confidence, and what can be done with it. */
export function LinkCells({
  link,
  at,
  status,
  numbers,
  isActive,
  languages,
  acts,
}: {
  link: Link;
  at: number;
  status: LinkStatus;
  numbers: readonly [source: number, target: number];
  isActive: boolean;
  languages: Languages;
  acts: Acts;
}) {
  const t = useT();
  const { percent } = useFormat();
  const isPaired = isPair(link);
  const figures = hasDifferingFigures(link) ? differingFigures(link) : undefined;
  const cell = { role: 'gridcell' as const, tabIndex: -1 };
  const isMade = link.confidence === 1 && link.decision === 'accepted';
  return (
    <>
      <Side {...{ cell, link, at, acts, languages }} side="source" first={numbers[0]} />
      <div {...cell} className={styles.link} data-status={status} data-pair={isPaired || undefined}>
        <Badge>
          <StatusMark status={statusMarks[status]} size={13} />
          {isPaired && !isMade
            ? percent(Math.floor(link.confidence * 100) / 100)
            : t(isPaired ? 'align.by_hand' : 'align.single')}
          {isPaired && <span className="visually-hidden">{t(statusNames[status])}</span>}
        </Badge>
      </div>
      <Side {...{ cell, link, at, acts, languages }} side="target" first={numbers[1]}>
        {figures && (
          <Text size="xs" tone="warn" weight="medium">
            <StatusMark status="warning" size={13} />{' '}
            {t('align.figures', { source: figures.source.join(', '), target: figures.target.join(', ') })}
          </Text>
        )}
      </Side>
      <div {...cell} className={styles.acts}>
        {(status === 'accepted' || status === 'skipped') && !isActive && (
          <Text size="xs" tone="soft">
            {status === 'accepted' && <Check size={15} aria-hidden />}{' '}
            {t(status === 'accepted' ? 'align.accepted' : 'align.skipped')}
          </Text>
        )}
        {(isActive || status === 'check' || status === 'single') && (
          <LinkActs at={at} status={status} isPaired={isPaired} isActive={isActive} acts={acts} />
        )}
      </div>
    </>
  );
}

/** The actions of a link. Those of the active link show their keys. */
function LinkActs({
  at,
  status,
  isPaired,
  isActive,
  acts,
}: Pick<Parameters<typeof LinkCells>[0], 'at' | 'status' | 'isActive' | 'acts'> & { isPaired: boolean }) {
  const t = useT();
  const button = { type: 'button' as const, tabIndex: isActive ? 0 : -1 };
  return (
    <>
      {isPaired ? (
        <>
          {status !== 'accepted' && (
            <button
              {...button}
              className={isActive ? 'small primary' : 'small'}
              onClick={() => acts.accept(at)}
            >
              {t('align.accept')} {isActive && <kbd>⏎</kbd>}
            </button>
          )}
          <button {...button} className="small" onClick={() => acts.unlink(at)}>
            <Unlink size={14} aria-hidden /> {t('align.unlink')} {isActive && <kbd>U</kbd>}
          </button>
        </>
      ) : (
        <button {...button} className="small" onClick={() => acts.link(at, 1)}>
          <Link2 size={14} aria-hidden /> {t('align.link')} {isActive && <kbd>L</kbd>}
        </button>
      )}
      {isActive && (
        <>
          {isPaired && (
            <ActButton {...button} name={t('align.link')} shortcut="L" onClick={() => acts.link(at, 1)}>
              <Link2 size={15} aria-hidden />
            </ActButton>
          )}
          <ActButton
            {...button}
            name={t(status === 'skipped' ? 'align.unskip' : 'align.skip')}
            shortcut="S"
            onClick={() => acts.skip(at)}
          >
            <Ban size={15} aria-hidden />
          </ActButton>
          {isPaired && (
            <ActButton {...button} name={t('sets.edit')} shortcut="E" onClick={() => acts.edit(at)}>
              <Pencil size={15} aria-hidden />
            </ActButton>
          )}
        </>
      )}
    </>
  );
}

/** A button that shows only an icon. */
function ActButton({
  name,
  shortcut,
  ...button
}: ComponentProps<'button'> & { name: string; shortcut: string }) {
  return <button {...button} className="small ghost" aria-label={name} title={`${name} (${shortcut})`} />;
}

function Side({
  cell,
  link,
  at,
  side,
  first,
  languages,
  acts,
  children,
}: {
  cell: { role: 'gridcell'; tabIndex: number };
  link: Link;
  at: number;
  side: 'source' | 'target';
  /** The number of the first sentence. */
  first: number;
  languages: Languages;
  acts: Acts;
  children?: ReactNode;
}) {
  const t = useT();
  const { number } = useFormat();
  const sentences = side === 'source' ? link.sources : link.targets;
  const texts = link.edited ? [link.edited[side]] : sentences;
  return (
    <div
      {...cell}
      className={styles[side]}
      onClick={() => acts.select(at)}
      onDoubleClick={() => acts.edit(at)}
    >
      {texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sentences may be equal
        <p key={index}>
          <Text size="xs" tone="faint" isNumeric>
            {number(first + index)}
          </Text>
          <span {...languageOf(languages[side])} translate="no">
            {text}
          </span>
        </p>
      ))}
      {texts.length === 0 && (
        <Text as="i" tone="faint">
          {t('align.nothing')}
        </Text>
      )}
      {children}
    </div>
  );
}

/** A link with fields instead of its texts. Ctrl+Enter saves them, Escape cancels. */
export function EditedLink({
  link,
  at,
  languages,
  acts,
}: {
  link: Link;
  at: number;
  languages: Languages;
  acts: Acts;
}) {
  const t = useT();
  const [texts, setTexts] = useState(() => textsOf(link, languages));
  const [wasSent, setWasSent] = useState(false);
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), []);
  const save = () => {
    if (!acts.save(at, texts)) setWasSent(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Escape') acts.close();
    if (isKey(event.nativeEvent, 'Mod+Enter')) save();
  };
  const field = (side: 'source' | 'target') => (
    <div role="gridcell" tabIndex={-1} className={styles[side]} onKeyDown={onKeyDown}>
      <textarea
        ref={side === 'target' ? first : undefined}
        aria-label={t(side === 'source' ? 'sets.source' : 'sets.target')}
        {...languageOf(languages[side])}
        rows={3}
        maxLength={maxText}
        aria-invalid={(wasSent && texts[side].trim() === '') || undefined}
        value={texts[side]}
        onChange={({ target }) => setTexts((before) => ({ ...before, [side]: target.value }))}
      />
    </div>
  );
  return (
    <>
      {field('source')}
      <div role="gridcell" tabIndex={-1} className={styles.link} />
      {field('target')}
      <div role="gridcell" tabIndex={-1} className={styles.acts}>
        <button type="button" className="small primary" onClick={save}>
          {t('sets.save')}
        </button>
        <button type="button" className="small" onClick={acts.close}>
          {t('common.cancel')}
        </button>
      </div>
    </>
  );
}
