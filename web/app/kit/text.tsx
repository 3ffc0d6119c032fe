import type { ComponentProps, ElementType, ReactNode } from 'react';

type TextProps<Element extends ElementType> = {
  /** The element that is rendered, such as `p`. */
  as?: Element;
  size?: '2xs' | 'xs' | 'sm' | 'md' | 'seg' | 'lg' | 'xl' | '2xl';
  /** `soft` for what explains, `faint` for what is read last; the others for a status, together with a shape. */
  tone?: 'soft' | 'faint' | 'ok' | 'warn' | 'crit' | undefined;
  weight?: 'regular' | 'medium' | 'semi' | 'bold';
  /** Whether digits have the same width, for figures that change or stand below each other. */
  isNumeric?: boolean;
  children?: ReactNode;
} & Omit<ComponentProps<Element>, 'as' | 'style'>;

const colors = { soft: 'ink-2', faint: 'ink-3', ok: 'ok', warn: 'warn', crit: 'crit' };

/** A text in the type of the tokens; without the margins of its element. */
export function Text<Element extends ElementType = 'span'>(props: TextProps<Element>) {
  const { as: Tag = 'span' as ElementType, size, tone, weight, isNumeric, ...others } = props;
  return (
    <Tag
      {...others}
      style={{
        margin: 0,
        fontSize: size && `var(--text-${size})`,
        color: tone && `var(--${colors[tone]})`,
        fontWeight: weight && `var(--w-${weight})`,
        fontVariantNumeric: isNumeric ? 'tabular-nums' : undefined,
        // An error may quote a name without spaces.
        overflowWrap: tone === 'crit' ? 'anywhere' : undefined,
      }}
    />
  );
}

/** What is wrong, next to where it is. */
export function Flaw({
  as = 'p',
  ...others
}: {
  as?: 'p' | 'span';
  id?: string;
  role?: 'alert';
  /** The text that a pointer on it shows. */
  title?: string;
  children: ReactNode;
}) {
  return <Text as={as as 'p'} size="sm" tone="crit" {...others} />;
}

/** A short word about the state of a thing, or one of several of its properties. @param title what a pointer on it shows */
export function Badge({
  tone,
  title,
  children,
}: {
  tone?: 'good' | 'waits' | 'bad' | undefined;
  title?: string | undefined;
  children: ReactNode;
}) {
  return (
    <span className={tone ? `badge ${tone}` : 'badge'} title={title}>
      {children}
    </span>
  );
}
