import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { Row } from '../kit/box.tsx';
import { Card } from '../kit/card.tsx';

/** Invisible characters, and what is shown for them. */
const invisible: Record<string, { shown: string; name: MessageId }> = {
  '\u00a0': { shown: 'NBSP', name: 'tools.space' },
  '\u202f': { shown: 'NNBSP', name: 'tools.narrow_space' },
  '\u2011': { shown: 'NB-', name: 'tools.hyphen' },
  '\u200c': { shown: 'ZWNJ', name: 'tools.non_joiner' },
  '\u200e': { shown: 'LRM', name: 'tools.left_to_right' },
  '\u200f': { shown: 'RLM', name: 'tools.right_to_left' },
};

/** Characters that a language needs and its keyboards often lack. */
const ofLanguage: Record<string, string> = {
  ar: '«»؟،؛٪ـ\u200f\u200e',
  cs: '„“‚‘ěščřžýáíéúůďťň',
  da: '»«æøåÆØÅ',
  de: '„“‚‘»«ßẞäöüÄÖÜ',
  es: '¿¡«»ºªñÑáéíóúü',
  fa: '«»؟،؛٪ـ\u200c\u200f\u200e',
  fi: '”’»äöåÄÖÅ',
  fr: '«»’œŒæÉÈÀÇ\u202f',
  he: '״׳„”₪\u200f\u200e',
  hu: '„”»«őűŐŰáéíóú',
  it: '«»’àèéìòùÈÉ',
  ja: '「」『』〜・、。（）',
  ko: '「」『』〈〉《》·₩',
  nl: '‘’„”éëïöü',
  no: '«»æøåÆØÅ',
  pl: '„”«»ąćęłńóśźż',
  pt: '«»ºªãõáéíóúâêôç',
  ro: '„”«»ăâîșț',
  ru: '«»„“№₽',
  sv: '”’»äöåÄÖÅ',
  tr: '“”‘’ğışçöüĞİŞ₺',
  uk: '«»„“’№ґҐ₴',
  zh: '「」『』《》、。（）¥',
};

const ofAll = '–—…“”‘’€£°×±§©®™•\u00a0\u2011';

/** A bar of buttons below the field. Arrow keys move between them, Escape closes. @param takesFocus by default, it does */
export function ToolBar({
  label,
  takesFocus = true,
  onClose,
  children,
}: {
  label: string;
  takesFocus?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const buttons = bar.current?.querySelectorAll('button') ?? [];
    for (const [index, button] of buttons.entries()) button.tabIndex = index === 0 ? 0 : -1;
    if (takesFocus) buttons[0]?.focus();
  }, [takesFocus]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onClose();
    }
    const buttons = [...(bar.current?.querySelectorAll('button') ?? [])];
    const isRightToLeft = bar.current && getComputedStyle(bar.current).direction === 'rtl';
    const forward = isRightToLeft ? 'ArrowLeft' : 'ArrowRight';
    const back = isRightToLeft ? 'ArrowRight' : 'ArrowLeft';
    const at = buttons.indexOf(event.target as HTMLButtonElement);
    const to = { [forward]: at + 1, [back]: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    buttons.at(to % buttons.length)?.focus();
  };
  return (
    <Card tone="sunken" pad={1}>
      <Row ref={bar} role="toolbar" aria-label={label} gap={1} onKeyDown={onKeyDown}>
        {children}
      </Row>
    </Card>
  );
}

/** Characters to insert at the caret: those of the language first. */
export default function Characters({
  language,
  onInsert,
  onClose,
}: {
  language: string;
  onInsert: (character: string) => void;
  onClose: () => void;
}) {
  const t = useT();
  const characters = [...new Set((ofLanguage[language.split('-')[0] ?? ''] ?? '') + ofAll)];
  return (
    <ToolBar label={t('tools.characters')} onClose={onClose}>
      {characters.map((character) => {
        const named = invisible[character];
        return (
          <button
            key={character}
            type="button"
            className="ghost small"
            title={named && t(named.name)}
            translate="no"
            onClick={() => onInsert(character)}
          >
            {named ? (
              <>
                <small aria-hidden>{named.shown}</small>
                <span className="visually-hidden">{t(named.name)}</span>
              </>
            ) : (
              character
            )}
          </button>
        );
      })}
    </ToolBar>
  );
}
