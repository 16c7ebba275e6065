// A small line chart on a canvas: linear or logarithmic axes, lines or steps, a legend that follows the pointer, zoom along x by dragging.
//
//   new Chart(node, {x: axis, y: axis, series: [{label, stroke, dash, width, stepped, points, format}], draw}, [xs, ys, ys…])
//   axis = {label, log, format, low, high}        low, high: range; otherwise that of the data
//
// xs ascends; a value that is null or undefined is passed over by its line. `draw(chart)` adds to the plot, with px(x) and py(y) in pixels.
'use strict';

class Chart {
  constructor(node, options, data) {
    Object.assign(this, {node, options, data});
    this.canvas = document.createElement('canvas');
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `${options.y.label} over ${options.x.label}`);
    this.legend = document.createElement('p');
    this.legend.className = 'legend';
    node.replaceChildren(this.canvas, this.legend);
    this.width = Math.min(1100, node.clientWidth || 900);
    this.height = 380;
    this.box = {left: 72, top: 10, right: this.width - 14, bottom: this.height - 44};
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = this.width * scale;
    this.canvas.height = this.height * scale;
    this.canvas.style.width = this.width + 'px';
    this.context = this.canvas.getContext('2d');
    this.context.scale(scale, scale);
    this.x = this.fullX = this.span(options.x, [data[0]]);
    this.y = this.span(options.y, data.slice(1));
    this.listen();
    this.draw();
    this.tell(null);
  }

  // The range of an axis: given, or that of the values, never empty.
  span(axis, columns) {
    let low = Infinity;
    let high = -Infinity;
    for (const column of columns)
      for (const value of column) {
        if (value === null || value === undefined || !Number.isFinite(value) || (axis.log && value <= 0)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    if (low > high) [low, high] = axis.log ? [1, 10] : [0, 1];
    low = axis.low ?? low;
    high = axis.high ?? high;
    if (!(high > low)) [low, high] = axis.log ? [low / 2, low * 2] : [low - 0.5, low + 0.5];
    return {low, high};
  }

  position(value, range, log) {
    return log ? Math.log(value / range.low) / Math.log(range.high / range.low) : (value - range.low) / (range.high - range.low);
  }
  px(value) {
    return this.box.left + this.position(value, this.x, this.options.x.log) * (this.box.right - this.box.left);
  }
  py(value) {
    return this.box.bottom - this.position(value, this.y, this.options.y.log) * (this.box.bottom - this.box.top);
  }
  valueAt(pixel) {
    const t = (pixel - this.box.left) / (this.box.right - this.box.left);
    const {low, high} = this.x;
    return this.options.x.log ? low * Math.pow(high / low, t) : low + t * (high - low);
  }

  setRange(low, high) {
    this.x = {low: Math.max(low, this.fullX.low), high: Math.min(high, this.fullX.high)};
    this.draw();
  }

  // Round numbers: decades with 2 and 5 where there is room, or steps of 1, 2, 5.
  ticks({low, high}, log, most) {
    const out = [];
    if (log) {
      const decades = Math.log10(high / low);
      const parts = decades > most / 2 ? [1] : decades > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
      const stride = Math.max(1, Math.ceil(decades / most));
      for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k++)
        for (const part of parts) {
          const value = part * Math.pow(10, k);
          if (k % stride === 0 && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) out.push(value);
        }
      return out;
    }
    const rough = (high - low) / most;
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].find((k) => k * power >= rough) * power;
    for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) out.push(k * step);
    return out;
  }

  axes() {
    const g = this.context;
    const {left, right, top, bottom} = this.box;
    const css = getComputedStyle(document.documentElement);
    const fore = css.getPropertyValue('--fore').trim();
    g.font = '12px system-ui, sans-serif';
    g.lineWidth = 0.5;
    g.strokeStyle = css.getPropertyValue('--line').trim();
    g.fillStyle = fore;
    const text = (axis, value) => (axis.format ? axis.format(value) : String(Number(value.toPrecision(6))));
    g.textAlign = 'center';
    let free = -Infinity; // labels that would run into the last one are left out
    for (const value of this.ticks(this.x, this.options.x.log, 10)) {
      const at = this.px(value);
      g.beginPath();
      g.moveTo(at, top);
      g.lineTo(at, bottom);
      g.stroke();
      const half = g.measureText(text(this.options.x, value)).width / 2;
      if (at - half > free + 6) {
        g.fillText(text(this.options.x, value), at, bottom + 16);
        free = at + half;
      }
    }
    g.fillText(this.options.x.label, (left + right) / 2, bottom + 36);
    g.textAlign = 'right';
    free = Infinity;
    for (const value of this.ticks(this.y, this.options.y.log, 8)) {
      const at = this.py(value);
      g.beginPath();
      g.moveTo(left, at);
      g.lineTo(right, at);
      g.stroke();
      if (at < free - 14) {
        g.fillText(text(this.options.y, value), left - 6, at + 4);
        free = at;
      }
    }
    g.save();
    g.translate(14, (top + bottom) / 2);
    g.rotate(-Math.PI / 2);
    g.textAlign = 'center';
    g.fillText(this.options.y.label, 0, 0);
    g.restore();
    g.lineWidth = 1;
    g.strokeStyle = fore;
    g.strokeRect(left, top, right - left, bottom - top);
  }

  draw() {
    const g = this.context;
    g.clearRect(0, 0, this.width, this.height);
    this.axes();
    g.save();
    g.beginPath();
    g.rect(this.box.left, this.box.top, this.box.right - this.box.left, this.box.bottom - this.box.top);
    g.clip();
    if (this.options.draw) this.options.draw(this);
    this.options.series.forEach((series, k) => this.line(series, this.data[0], this.data[k + 1]));
    if (this.selecting) {
      g.fillStyle = 'rgba(128, 128, 128, 0.25)';
      g.fillRect(this.selecting[0], this.box.top, this.selecting[1] - this.selecting[0], this.box.bottom - this.box.top);
    }
    g.restore();
  }

  line(series, xs, ys) {
    const g = this.context;
    g.strokeStyle = g.fillStyle = series.stroke;
    g.lineWidth = series.width || 1.5;
    g.setLineDash(series.dash || []);
    g.beginPath();
    let last = null;
    for (let k = 0; k < xs.length; k++) {
      const value = ys[k];
      if (value === null || value === undefined || !Number.isFinite(value)) continue;
      const at = [this.px(xs[k]), this.py(value)];
      if (last === null) g.moveTo(at[0], at[1]);
      else {
        if (series.stepped) g.lineTo(at[0], last[1]);
        g.lineTo(at[0], at[1]);
      }
      if (series.points) g.fillRect(at[0] - 2, at[1] - 2, 4, 4);
      last = at;
    }
    g.stroke();
    g.setLineDash([]);
  }

  // The legend with the values at the pointer: of the last point at or before it that has one.
  tell(x) {
    const [xs] = this.data;
    let place = -1;
    if (x !== null)
      for (let low = 0, high = xs.length - 1; low <= high;) {
        const middle = (low + high) >> 1;
        if (xs[middle] <= x) {
          place = middle;
          low = middle + 1;
        } else high = middle - 1;
      }
    const entries = this.options.series.map((series, k) => {
      let at = place;
      while (at >= 0 && (this.data[k + 1][at] === null || this.data[k + 1][at] === undefined)) at--;
      const entry = document.createElement('span');
      const swatch = document.createElement('span');
      swatch.className = 'swatch';
      swatch.style.background = series.stroke;
      entry.append(swatch, series.label + (at >= 0 ? ': ' + series.format(this.data[k + 1][at]) : ''));
      return entry;
    });
    if (x !== null) {
      const entry = document.createElement('span');
      entry.textContent = `${this.options.x.label} ${this.options.x.format ? this.options.x.format(x) : Number(x.toPrecision(4))}`;
      entries.unshift(entry);
    }
    this.legend.replaceChildren(...entries);
  }

  listen() {
    const inside = (event) => Math.max(this.box.left, Math.min(this.box.right, event.offsetX));
    this.canvas.addEventListener('pointerdown', (event) => {
      this.selecting = [inside(event), inside(event)];
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (this.selecting) {
        this.selecting[1] = inside(event);
        this.draw();
      }
      this.tell(this.valueAt(inside(event)));
    });
    this.canvas.addEventListener('pointerup', () => {
      const [from, to] = (this.selecting || [0, 0]).sort((a, b) => a - b);
      this.selecting = null;
      if (to - from > 5) this.setRange(this.valueAt(from), this.valueAt(to));
      else this.draw();
    });
    this.canvas.addEventListener('pointerleave', () => this.tell(null));
    this.canvas.addEventListener('dblclick', () => this.setRange(this.fullX.low, this.fullX.high));
  }
}
