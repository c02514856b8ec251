"""Array shapes in annotations: jaxtyping's names, or stand-ins where it is not installed.

Only type checkers and the project's tests read the shapes. jaxtyping brings a pytest plugin of its
own that would load on every run of every user, so the installed package does without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["Bool", "Float", "Float32", "Int", "Shaped", "UInt8"]

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Float32, Int, Shaped, UInt8
else:
    try:
        from jaxtyping import Bool, Float, Float32, Int, Shaped, UInt8
    except ImportError:

        class _AnyShape:
            """``_AnyShape[np.ndarray, "n d"]`` is any value."""

            def __class_getitem__(cls, _: Any) -> Any:
                return Any

        Bool = Float = Float32 = Int = Shaped = UInt8 = _AnyShape
