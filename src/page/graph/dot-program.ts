// Draws notes as rimmed discs, one WebGL point each; used for large graphs because it costs a tenth.
import { NodeProgram, type ProgramInfo } from 'sigma/rendering';
import type { NodeDisplayData, RenderParams } from 'sigma/types';
import { DISC_COLOURS, DISC_INPUTS, discAttributes, discData, setCamera } from './disc-data.ts';

const UNIFORMS = ['u_sizeRatio', 'u_pixelRatio', 'u_matrix'] as const;

const VERTEX = `${DISC_INPUTS}
uniform float u_pixelRatio;
void main() {
  v_radius = a_size / u_sizeRatio * u_pixelRatio;
  v_rimWidth = min(a_rimWidth * u_pixelRatio, v_radius * 0.5);
  gl_PointSize = v_radius * 2.0 + 1.0;
  gl_Position = vec4((u_matrix * vec3(a_position, 1.0)).xy, 0.0, 1.0);
${DISC_COLOURS}
}`;

const FRAGMENT = `
precision highp float;
varying vec4 v_fill;
varying vec4 v_rim;
varying float v_radius;
varying float v_rimWidth;
void main(void) {
  float distance = length(gl_PointCoord - vec2(0.5)) * (v_radius * 2.0 + 1.0);
  #ifdef PICKING_MODE
  if (distance > v_radius) discard;
  gl_FragColor = v_fill;
  #else
  float inside = clamp(v_radius + 0.5 - distance, 0.0, 1.0);
  float filled = clamp(v_radius - v_rimWidth + 0.5 - distance, 0.0, 1.0);
  gl_FragColor = mix(v_rim, v_fill, filled) * inside;
  #endif
}`;

export class DotProgram extends NodeProgram<(typeof UNIFORMS)[number]> {
  override getDefinition() {
    return {
      VERTICES: 1,
      VERTEX_SHADER_SOURCE: VERTEX,
      FRAGMENT_SHADER_SOURCE: FRAGMENT,
      METHOD: WebGLRenderingContext.POINTS,
      UNIFORMS,
      ATTRIBUTES: discAttributes(),
    };
  }

  override processVisibleItem(id: number, offset: number, data: NodeDisplayData): void {
    this.array.set(discData(id, data), offset);
  }

  /** While the graph moves, the picking image is not drawn; it is drawn again when the graph rests. */
  override render(params: RenderParams): void {
    const { pickProgram } = this;
    if (this.isMoving()) this.pickProgram = null;
    super.render(params);
    this.pickProgram = pickProgram;
  }

  isMoving(): boolean {
    const { isMoving, draggedEvents } = this.renderer.getMouseCaptor();
    const moves = isMoving || draggedEvents > 0 || this.renderer.getCamera().isAnimated();
    return moves && this.renderer.getSetting('hideEdgesOnMove');
  }

  override setUniforms(params: RenderParams, program: ProgramInfo): void {
    setCamera(params, program);
    program.gl.uniform1f(program.uniformLocations.u_pixelRatio ?? null, params.pixelRatio);
  }
}
