/** The page of the API reference: Swagger UI with the document for client generators. */
export const page = (at: (path: string) => string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>LinguaLoop API</title>
    <link rel="icon" href="${at('/docs/favicon-32x32.png')}">
    <link rel="stylesheet" href="${at('/docs/swagger-ui.css')}">
    <link rel="stylesheet" href="${at('/docs/page.css')}">
  </head>
  <body>
    <nav class="top" aria-label="LinguaLoop"><a href="${at('/')}">LinguaLoop</a> <a href="${at('/docs/guides/')}">Guides</a></nav>
    <div id="swagger-ui"></div>
    <script src="${at('/docs/swagger-ui-bundle.js')}"></script>
    <script src="${at('/docs/start.js')}"></script>
  </body>
</html>
`;

/**
 * The script that opens Swagger UI. All sections are collapsed; a filter opens the sections that match it. Members
 * enter credentials under "Authorize", and these are not stored. The session cookie has no field and is not sent: a
 * request has the entered key or no credential. The validator badge is off, because it would send a request to
 * another host.
 */
export const start = (
  basePath: string,
) => `globalThis.trustedTypes?.createPolicy('default', { createHTML: (sanitized) => sanitized });

const findOperations = (tags, phrase) => {
  const words = phrase.toLowerCase().split(/\\s+/).filter(Boolean);
  const isFound = (tag) => (operation) => {
    const told = operation.get('operation');
    const text = [tag, operation.get('method'), operation.get('path'), told.get('summary'), told.get('operationId')];
    return words.every((word) => text.join(' ').toLowerCase().includes(word));
  };
  return tags
    .map((one, tag) => one.update('operations', (operations) => operations.filter(isFound(tag))))
    .filter((one) => one.get('operations').size > 0);
};

const openWhatIsFound = {
  fn: { opsFilter: findOperations },
  statePlugins: {
    layout: {
      wrapActions: {
        updateFilter: (update, { layoutActions, specSelectors }) => (phrase) => {
          for (const tag of specSelectors.tags().map((one) => one.get('name')))
            layoutActions.show(['operations-tag', tag], Boolean(phrase));
          return update(phrase);
        },
      },
    },
    auth: {
      wrapSelectors: {
        // Browsers do not allow pages to set a cookie header.
        definitionsToAuthorize: (select) => (...given) =>
          select(...given).filterNot((scheme) => scheme.some((one) => one.get('in') === 'cookie')),
      },
    },
  },
};

SwaggerUIBundle({
  url: ${JSON.stringify(`${basePath}/openapi.clients.json`)},
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [openWhatIsFound],
  requestInterceptor(request) {
    request.credentials = 'omit';
    return request;
  },
  onComplete() {
    const field = document.querySelector('.operation-filter-input');
    field.placeholder = 'Filter: words of a path, a name or a summary';
    field.setAttribute('aria-label', 'Filter operations');
  },
});

// The style sheet has a dark theme, by a class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
`;

export const pageStyle = `body { margin: 0; }
.dark-mode body { background: #1c2022; }
.top { display: flex; flex-wrap: wrap; gap: 1.5rem; padding: 0.75rem 1.25rem; font: 1rem sans-serif; background: #1b1b1b; }
.top a { color: #fff; }
.swagger-ui .filter .operation-filter-input { box-sizing: border-box; width: 100%; max-width: 32rem; }
`;
