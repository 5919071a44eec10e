/** The built web manifest with the configured product name. */
export function nameManifest(manifest: string, productName: string): string {
  const names = { name: `${productName} Dashboard`, short_name: productName };
  return `${JSON.stringify({ ...JSON.parse(manifest), ...names }, null, 2)}\n`;
}
