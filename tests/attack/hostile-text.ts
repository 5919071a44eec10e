/** A text that would end an element, an attribute, a comment, a script and a line of JSON. */
export const ALL_AT_ONCE = `</script><!--"'\`><img src=//evil.example onerror=planted=1>\u2028`;

/** Texts that run a script or load an address if they are treated as markup. */
export const HOSTILE = [
  ALL_AT_ONCE,
  '<script>planted=1</script>',
  '</title><script>planted=1</script>',
  '--><script>planted=1</script>',
  '<!--<script>',
  ']]><svg/onload=planted=1>',
  '"><img src=x onerror=planted=1>',
  "' onmouseover='planted=1' autofocus onfocus='planted=1",
  '</textarea></style><iframe srcdoc="<script>top.planted=1</script>">',
  '<base href=//evil.example/>',
  '<meta http-equiv=refresh content=0;url=//evil.example>',
  '<link rel=stylesheet href=//evil.example>',
  '<form action=//evil.example><button>',
  '<style>@import "//evil.example"</style>',
  'javascript:planted=1',
  'data:text/html,<script>planted=1</script>',
  '\u2028planted=1\u2029//',
  '\\u003cscript>planted=1\\u003c/script>',
  '&lt;img src=x onerror=planted=1&gt;',
  '{{constructor.constructor("planted=1")()}}',
  '__proto__',
  'constructor',
  `${'\u202e'.repeat(30)}evil\u202c\u2066\u200f`,
  'שלום'.repeat(40),
  'ﷺ'.repeat(100),
  'Z\u0351\u036f\u0301\u0489'.repeat(40),
];
