import { Plus } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import type { LanguageCode } from '#server/languages.ts';
import { useT } from '../../i18n.tsx';

// The popover and its library load when it is first opened.
const LanguagePopover = lazy(() => import('./language-popover.tsx'));

/**
 * A button that opens the list of all languages, in which several can be selected.
 * @param text the label of the button; without it, the button shows only an icon
 */
export function LanguagePicker({
  chosen,
  text,
  className,
  onChange,
}: {
  chosen: readonly string[];
  text?: string;
  className: string | undefined;
  onChange: (codes: LanguageCode[]) => void;
}) {
  const t = useT();
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={className}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        {...(text === undefined && {
          'aria-label': t('translate.add_language'),
          title: t('translate.add_language'),
        })}
        onClick={() => setOpen(true)}
      >
        <Plus size={text === undefined ? 16 : 13} aria-hidden />
        {text}
      </button>
      {isOpen && (
        <Suspense>
          <LanguagePopover
            trigger={trigger}
            chosen={chosen}
            onChange={onChange}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
