import { Scissors, Split } from 'lucide-react';
import { Fragment, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { announce } from '../../parts/announcer.tsx';
import { languageOf } from '../../parts/language-text.tsx';
import styles from './page.module.css';
import { cutsOf, type PageText, partsOf } from './page-texts.ts';

/**
 * The source of a text with a place between each two words, at which it can be divided. Arrow keys move between the
 * places, Space cuts or joins there, Enter divides the text.
 */
export function SplitText({
  text: { text, segment },
  language,
  onSplit,
  onCancel,
}: {
  text: PageText;
  language: string;
  onSplit: (at: number[]) => void;
  onCancel: () => void;
}) {
  const t = useT();
  const cuts = cutsOf(text);
  const [at, setAt] = useState<readonly number[]>([]);
  const [current, setCurrent] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  const parts = at.length > 0 ? partsOf(text, at) : [];
  const number = (segment?.position ?? 0) + 1;
  const toggle = (index: number) => {
    const cut = cuts[index] as number;
    setCurrent(index);
    const next = at.includes(cut) ? at.filter((one) => one !== cut) : [...at, cut].sort((a, b) => a - b);
    setAt(next);
    announce(t('pageView.parts', { count: next.length + 1 }));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, target, currentTarget } = event;
    const isRightToLeft = languageOf(language).dir === 'rtl';
    const step = { ArrowRight: isRightToLeft ? -1 : 1, ArrowLeft: isRightToLeft ? 1 : -1 }[key];
    if (key === 'Escape') onCancel();
    else if (target !== box.current && currentTarget.contains(target as Node) && key === 'Enter') return;
    else if (step !== undefined) {
      const next = Math.max(0, Math.min(cuts.length - 1, current + step));
      setCurrent(next);
      announce(wordsAround(text, cuts[next] as number));
    } else if (key === ' ') toggle(current);
    else if (key === 'Enter' && at.length > 0) onSplit([...at]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the box
    <div role="gridcell" className={styles.split} onKeyDown={onKeyDown}>
      <p>
        <b>{t('pageView.split_source', { number })}</b> <span>{t('pageView.split_how')}</span>
      </p>
      <div
        ref={box}
        {...languageOf(language)}
        role="group"
        aria-label={t('pageView.split_source', { number })}
        className={styles.cuts}
        tabIndex={0}
        translate="no"
      >
        {[0, ...cuts].map((start, index) => (
          <Fragment key={start}>
            {index > 0 && (
              <button
                type="button"
                tabIndex={-1}
                aria-pressed={at.includes(start)}
                aria-label={wordsAround(text, start)}
                data-current={current === index - 1 || undefined}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => toggle(index - 1)}
              >
                {at.includes(start) && <Scissors size={9} aria-hidden />}
              </button>
            )}
            <span>{text.slice(start, cuts[index]).trim()}</span>
          </Fragment>
        ))}
      </div>
      {parts.length > 0 && (
        <ol className={styles.parts}>
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
            <li key={index}>
              <span {...languageOf(language)} translate="no">
                {part}
              </span>
              <span>{t('editor.characters', { count: [...part].length })}</span>
            </li>
          ))}
        </ol>
      )}
      <Row justify="end">
        <button type="button" className="ghost small" onClick={onCancel}>
          {t('common.cancel')} <kbd>Esc</kbd>
        </button>
        <button
          type="button"
          className="primary small"
          disabled={at.length === 0}
          onClick={() => onSplit([...at])}
        >
          <Split size={15} aria-hidden /> {t('pageView.split_into', { count: at.length + 1 })} <kbd>⏎</kbd>
        </button>
      </Row>
      <p className="hint">
        {t(segment?.confirmed_at ? 'pageView.split_confirmed' : 'pageView.split_again', {
          count: at.length + 1,
        })}
      </p>
    </div>
  );
}

/** The words before and after a cut. */
function wordsAround(text: string, cut: number): string {
  const before = /\S+(?=\s*$)/.exec(text.slice(0, cut))?.[0] ?? '';
  const after = /^\s*(\S+)/.exec(text.slice(cut))?.[1] ?? '';
  return `${before} | ${after}`;
}
