import { Link, type LinkProps } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { plainName } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import styles from './inbox.module.css';
import type { Selection } from './selection.tsx';

/** A row of the inbox: what there is to review, its state, and who reviews it. A click anywhere opens it. */
export interface InboxRowProps {
  /** Identifies the row in the list. */
  rowKey: string;
  address: LinkProps;
  /** The name of a document, or a phrase for a group of texts. */
  name: string;
  isGroup: boolean;
  /** Lines below the name. */
  details: ReactNode;
  format: string | null;
  source_lang: string;
  target_lang: string;
  progress: ReactNode;
  finding: ReactNode;
  age: ReactNode;
  selection: Selection | undefined;
  /** Whether the row awaits the review of another member. */
  isClosed?: boolean;
  /** The last cell: the members, or an action. */
  children: ReactNode;
}

/** The order and places of the cells are those of the areas in `inbox.module.css`. */
export function InboxRow({ rowKey, name, isGroup, format, selection, isClosed, ...row }: InboxRowProps) {
  const t = useT();
  const { nameOf } = useLanguages();
  const [source, target] = [nameOf(row.source_lang), nameOf(row.target_lang)];
  return (
    <li className={styles.task} data-key={rowKey} data-closed={isClosed || undefined}>
      <Row isTight>
        {selection && (
          <input
            type="checkbox"
            className={styles.select}
            aria-label={t('assignments.select', { name: isGroup ? name : plainName(name) })}
            checked={selection.has(rowKey)}
            onChange={() => selection.toggle(rowKey)}
          />
        )}
        <span
          className={`format ${styles.format}`}
          data-format={format ?? 'text'}
          translate={format ? 'no' : undefined}
        >
          {format ?? t('inbox.text')}
        </span>
      </Row>
      <div>
        <Link {...row.address} className={styles.open}>
          {isGroup ? (
            name
          ) : (
            <bdi translate="no" className="excerpt short">
              {name}
            </bdi>
          )}
        </Link>
        {row.details}
      </div>
      <span>
        <span className="visually-hidden">{t('inbox.pair', { source, target })}</span>
        <span aria-hidden>
          {source} <ArrowRight size={12} className="mirrored" /> {target}
        </span>
      </span>
      <div>{row.progress}</div>
      <div>{row.finding}</div>
      <div>{row.age}</div>
      <div className={styles.last}>{row.children}</div>
    </li>
  );
}

/** The names of the columns. Screen readers ignore them: each cell is a complete phrase. */
export function Columns({ action }: { action?: MessageId | undefined }) {
  const t = useT();
  return (
    <div className={styles.columns} aria-hidden>
      <span />
      <span>{t('inbox.task')}</span>
      <span>{t('inbox.languages')}</span>
      <span>{t('inbox.confirmed')}</span>
      <span>{t('inbox.finding')}</span>
      <span>{t(action ? 'assignments.due' : 'inbox.due')}</span>
      <span>{t(action ?? 'inbox.holders')}</span>
    </div>
  );
}

/** Rows with a heading and their number; nothing without rows. */
export function RowGroup<Item>({
  id,
  name,
  icon,
  rows,
  hint,
  children,
}: {
  id: string;
  name: MessageId;
  icon: ReactNode;
  rows: readonly Item[];
  hint?: MessageId;
  children: (row: Item) => ReactNode;
}) {
  const t = useT();
  const { number } = useFormat();
  if (rows.length === 0) return null;
  return (
    <Stack as="section" aria-labelledby={id} gap={1}>
      <Text as="h2" id={id} size="xs" tone="soft">
        <Row as="span">
          {icon}
          {t(name)} <Text tone="faint">{number(rows.length)}</Text>
          {hint && (
            <Text tone="faint" weight="regular">
              {t(hint)}
            </Text>
          )}
        </Row>
      </Text>
      <ul className="bare">{rows.map(children)}</ul>
    </Stack>
  );
}
