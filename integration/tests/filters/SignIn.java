import java.io.IOException;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletRequestWrapper;

/** Trusts the header X-User: the user is what it says. For tests. */
public final class SignIn implements Filter {
  @Override
  public void init(FilterConfig config) {}

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest asked = (HttpServletRequest) request;
    chain.doFilter(
        new HttpServletRequestWrapper(asked) {
          @Override
          public String getRemoteUser() {
            return asked.getHeader("X-User");
          }
        },
        response);
  }

  @Override
  public void destroy() {}
}
