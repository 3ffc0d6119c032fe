import { type KeyboardEvent, useRef } from 'react';
import type { LanguageCode } from '#server/languages.ts';
import { useT } from '../../i18n.tsx';
import { directionOf } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { LanguagePicker } from './language-picker.tsx';
import styles from './panes.module.css';
import { RunMark, type RunState } from './run-mark.tsx';

/** The ID of the panel that a tab controls, and of the tab. */
export const panelOf = (code: string) => ({ panel: `result-${code}`, tab: `tab-${code}` });

/**
 * A tab for each target language, with the state of its translation. The arrow keys move between the tabs.
 * @param stateOf the state of a language's translation, if any
 */
export function TargetTabs({
  codes,
  current,
  stateOf,
  onSelect,
  onChange,
}: {
  codes: readonly string[];
  current: string | undefined;
  stateOf: (code: string) => RunState | undefined;
  onSelect: (code: string) => void;
  onChange: (codes: LanguageCode[]) => void;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const forward = directionOf(document.documentElement.lang) === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const at = codes.indexOf(current ?? '');
    const places: Record<string, number> = { Home: 0, End: codes.length - 1 };
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const by = step === undefined ? undefined : event.key === forward ? 1 : -1;
    const place = by === undefined ? places[event.key] : (at + by + codes.length) % codes.length;
    const code = place === undefined ? undefined : codes[place];
    if (code === undefined) return;
    event.preventDefault();
    onSelect(code);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(panelOf(code).tab)}`)?.focus();
  };
  return (
    <div className={styles.languages}>
      {codes.length > 0 && (
        <div ref={list} role="tablist" aria-label={t('translate.target_languages')} onKeyDown={move}>
          {codes.map((code) => {
            const state = stateOf(code);
            return (
              <button
                key={code}
                type="button"
                role="tab"
                id={panelOf(code).tab}
                className={styles.language}
                aria-selected={code === current}
                aria-controls={code === current ? panelOf(code).panel : undefined}
                tabIndex={code === current ? 0 : -1}
                onClick={() => onSelect(code)}
              >
                {state && <RunMark state={state} />}
                {nameOf(code)}
              </button>
            );
          })}
        </div>
      )}
      <LanguagePicker
        chosen={codes}
        className="ghost"
        onChange={onChange}
        {...(codes.length === 0 && { text: t('translate.add_language') })}
      />
    </div>
  );
}
