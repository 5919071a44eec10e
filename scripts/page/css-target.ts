/**
 * The first versions of browsers that know the CSS function light-dark(). For older browsers, the build would replace
 * each use by longer CSS.
 */
export const CSS_TARGET = ['chrome123', 'edge123', 'firefox120', 'safari17.5', 'ios17.5'];
