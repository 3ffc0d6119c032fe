import type { ComponentProps } from 'react';

/** A button that shows only an icon. @param label its name, which a pointer on it shows */
export function IconButton({
  label,
  title = label,
  ...button
}: Omit<ComponentProps<'button'>, 'className' | 'aria-label' | 'style'> & { label: string }) {
  return (
    <button
      type="button"
      className="ghost"
      aria-label={label}
      title={title}
      style={{ flex: 'none', inlineSize: 'var(--ctl)', padding: 0 }}
      {...button}
    />
  );
}
