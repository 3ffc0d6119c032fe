// Adds a button to each block of code, which copies it. Without this file, the pages lack nothing else.

const status = document.createElement('p');
status.className = 'unseen';
status.setAttribute('role', 'status');
document.body.append(status);

for (const figure of document.querySelectorAll('figure')) {
  const code = figure.querySelector('pre');
  if (!code) continue;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  const label = document.createElement('span');
  label.textContent = 'Copy';
  const what = document.createElement('span');
  what.className = 'unseen';
  what.textContent = ` the ${figure.querySelector('figcaption')?.textContent ?? ''} example`.replace(
    '  ',
    ' ',
  );
  button.append(label, what);
  let shown;
  button.addEventListener('click', async () => {
    const done = await copy(code);
    label.textContent = done ? 'Copied' : 'Press Ctrl+C';
    // An empty status first, so that the same words are announced again.
    status.textContent = '';
    requestAnimationFrame(() => {
      status.textContent = done ? 'Copied' : 'The example is selected. Press Ctrl+C to copy it.';
    });
    clearTimeout(shown);
    shown = setTimeout(() => {
      label.textContent = 'Copy';
    }, 2000);
  });
  figure.prepend(button);
}

/** Browsers offer the clipboard at https and at this machine's own addresses only; elsewhere, the code is selected and copied as by the keyboard. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return document.execCommand('copy');
  }
}
